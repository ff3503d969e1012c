UPDATE `policies` SET `policy` = json_set(`policy`, '$.whitelistApplicable', json(CASE
	WHEN EXISTS (SELECT 1 FROM `whitelist` WHERE `whitelist`.`tenant_id` = `policies`.`policy` ->> 'tenantId' AND `whitelist`.`policy_id` = `policies`.`id`) THEN 'true' ELSE 'false'
END));
