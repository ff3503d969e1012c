CREATE TABLE `bundle_transactions` (
	`chain_id` integer NOT NULL,
	`hash` text NOT NULL,
	`bundle_id` text NOT NULL,
	`relayer` text NOT NULL,
	`nonce` integer NOT NULL,
	`raw` text NOT NULL,
	`max_fee_per_gas` text NOT NULL,
	`max_priority_fee_per_gas` text NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`chain_id`, `hash`)
);
--> statement-breakpoint
CREATE INDEX `bundle_transactions_bundle` ON `bundle_transactions` (`chain_id`,`bundle_id`);--> statement-breakpoint
CREATE TABLE `bundles` (
	`chain_id` integer NOT NULL,
	`bundle_id` text NOT NULL,
	`operations` text NOT NULL,
	`settled` integer NOT NULL,
	PRIMARY KEY(`chain_id`, `bundle_id`)
);
--> statement-breakpoint
CREATE INDEX `bundles_unsettled` ON `bundles` (`chain_id`) WHERE "settled" = 0;--> statement-breakpoint
CREATE TABLE `events` (
	`chain_id` integer NOT NULL,
	`block_number` integer NOT NULL,
	`log_index` integer NOT NULL,
	`block_hash` text NOT NULL,
	`entry_point` text NOT NULL,
	`hash` text NOT NULL,
	`sender` text NOT NULL,
	`paymaster` text,
	`nonce` text NOT NULL,
	`success` integer NOT NULL,
	`actual_gas_cost` text NOT NULL,
	`actual_gas_used` text NOT NULL,
	`transaction_hash` text NOT NULL,
	PRIMARY KEY(`chain_id`, `block_number`, `log_index`)
);
--> statement-breakpoint
CREATE INDEX `events_operation` ON `events` (`chain_id`,`hash`,`block_number`);--> statement-breakpoint
CREATE TABLE `indexed_blocks` (
	`chain_id` integer NOT NULL,
	`number` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`chain_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `operations` (
	`chain_id` integer NOT NULL,
	`hash` text NOT NULL,
	`entry_point` text NOT NULL,
	`operation` text NOT NULL,
	`validation_level` text,
	`received_at` integer NOT NULL,
	`state` text NOT NULL,
	`state_detail` text NOT NULL,
	`timestamps` text NOT NULL,
	PRIMARY KEY(`chain_id`, `hash`)
);
--> statement-breakpoint
CREATE INDEX `operations_open` ON `operations` (`chain_id`,`received_at`) WHERE "state" in ('queued', 'pending', 'bundled', 'submitted');--> statement-breakpoint
CREATE TABLE `receipts` (
	`chain_id` integer NOT NULL,
	`transaction_hash` text NOT NULL,
	`block_number` integer NOT NULL,
	`block_hash` text NOT NULL,
	`receipt` text NOT NULL,
	PRIMARY KEY(`chain_id`, `transaction_hash`)
);
--> statement-breakpoint
CREATE INDEX `receipts_block` ON `receipts` (`chain_id`,`block_number`);--> statement-breakpoint
CREATE TABLE `reputation` (
	`chain_id` integer NOT NULL,
	`entry_point` text NOT NULL,
	`address` text NOT NULL,
	`ops_seen` integer NOT NULL,
	`ops_included` integer NOT NULL,
	PRIMARY KEY(`chain_id`, `entry_point`, `address`)
);
