CREATE TABLE `block_times` (
	`chain_id` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`chain_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `operations_ended` ON `operations` (`received_at`) WHERE "state" in ('included', 'dropped', 'expired', 'replaced');