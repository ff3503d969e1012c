import { defineConfig } from 'drizzle-kit'

/** `bunx drizzle-kit generate --name WHAT_CHANGES` after a change of the schema; then list the file in migrations.ts. */
export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/store/schema.ts', './src/store/paymaster/tables.ts'],
  out: './src/store/migrations',
})
