CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`hash` text NOT NULL,
	`hint` text NOT NULL,
	`scopes` text NOT NULL,
	`credits_per_month` integer,
	`credits_per_second` integer,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`tenant_id` text,
	`key_id` text,
	`action` text NOT NULL,
	`subject` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_tenant` ON `audit` (`tenant_id`);--> statement-breakpoint
CREATE TABLE `credits` (
	`key_id` text NOT NULL,
	`month` text NOT NULL,
	`spent` integer NOT NULL,
	PRIMARY KEY(`key_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `deployments` (
	`tenant_id` text NOT NULL,
	`chain_id` integer NOT NULL,
	`version` text NOT NULL,
	`address` text NOT NULL,
	`transaction_hash` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `chain_id`, `version`)
);
--> statement-breakpoint
CREATE TABLE `ledger_positions` (
	`chain_id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `policies` (
	`id` integer PRIMARY KEY NOT NULL,
	`policy` text NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE TABLE `policy_totals` (
	`policy_id` integer NOT NULL,
	`sender` text NOT NULL,
	`usd` text NOT NULL,
	`native` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`policy_id`, `sender`)
);
--> statement-breakpoint
CREATE TABLE `sponsorships` (
	`chain_id` integer NOT NULL,
	`paymaster` text NOT NULL,
	`sender` text NOT NULL,
	`nonce` text NOT NULL,
	`claims` text NOT NULL,
	`settled` text,
	PRIMARY KEY(`chain_id`, `paymaster`, `sender`, `nonce`)
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`wallet_address` text NOT NULL,
	`encrypted_key` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `whitelist` (
	`tenant_id` text NOT NULL,
	`policy_id` integer NOT NULL,
	`address` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `policy_id`, `address`)
);
