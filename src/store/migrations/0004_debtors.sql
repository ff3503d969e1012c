CREATE TABLE `debtors` (
	`id` integer PRIMARY KEY NOT NULL,
	`chain_id` integer NOT NULL,
	`sender` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `debtors_sender` ON `debtors` (`chain_id`,`sender`);--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `policies_deleted` ON `policies` (`deleted_at`) WHERE "policies"."deleted_at" is not null;