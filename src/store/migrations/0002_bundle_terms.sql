ALTER TABLE `bundles` ADD `max_fee_ceiling` text;--> statement-breakpoint
ALTER TABLE `bundles` ADD `priority_fee_ceiling` text;--> statement-breakpoint
ALTER TABLE `bundles` ADD `conditions` text;