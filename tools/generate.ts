import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../apps/server/src/app/api.ts';
import '../apps/server/src/app/worker.ts';
import '../apps/server/src/bin/commands/identity.ts';
import '../apps/server/src/bin/commands/storage.ts';
import '../apps/server/src/bin/commands/journal.ts';
import '../apps/server/src/features/runtime-verdicts/turns/evidence-expiring.entries.ts';
import { journalPage } from '../apps/server/src/app/journal-page.ts';
import { permissionsPage } from '../apps/server/src/app/permissions-page.ts';
import { settingsPage } from '../apps/server/src/app/settings-page.ts';
import { createMigratedDatabase, dropDatabases } from '../apps/server/test/databases.ts';
import { contracts, toOpenApi } from '../packages/contract/src/index.ts';
import { coveragePage } from './api-coverage/coverage-page.ts';
import { cliPage } from './cli-reference/cli-page.ts';
import { dashboards, dashboardText } from './dashboards/dashboards.ts';
import { withFeatureGraph } from './import-graph/picture.ts';
import { limitsPage } from './limits-reference/limits-page.ts';
import { metricsPage } from './metrics-reference/metrics-page.ts';
import { tableTypes } from './table-types/table-types.ts';

/** Writes what is generated and checked in. A test fails when it differs from the code. */
const DOCS = join(import.meta.dirname, '../docs');
const description = toOpenApi(contracts, { version: '2.0', serverUrl: '/api/v2' });
writeFileSync(join(DOCS, 'api/openapi.json'), `${JSON.stringify(description, null, 2)}\n`);
writeFileSync(join(DOCS, 'journal.md'), journalPage());
writeFileSync(join(DOCS, 'permissions.md'), permissionsPage());
writeFileSync(join(DOCS, 'configuration.md'), settingsPage());
writeFileSync(join(DOCS, 'api/coverage.md'), coveragePage());
writeFileSync(join(DOCS, 'cli.md'), await cliPage());
writeFileSync(join(DOCS, 'metrics.md'), metricsPage());
writeFileSync(join(DOCS, 'limits.md'), limitsPage());
for (const [file, dashboard] of Object.entries(dashboards)) {
  writeFileSync(join(DOCS, '../deploy/observability/dashboards', file), dashboardText(dashboard));
}
const architecture = join(DOCS, 'architecture.md');
writeFileSync(architecture, withFeatureGraph(readFileSync(architecture, 'utf8')));

// Last, because it alone needs PostgreSQL.
const database = await createMigratedDatabase().catch((error: unknown) => {
  throw new Error('PostgreSQL does not answer: run `pnpm services up postgres`', { cause: error });
});
const tables = join(import.meta.dirname, '../apps/server/src/platform/db/tables.ts');
writeFileSync(tables, await tableTypes(database.url));
await dropDatabases(database.name);
