import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../apps/server/src/app/api.ts';
import '../apps/server/src/app/worker.ts';
import '../apps/server/src/bin/commands/identity.ts';
import '../apps/server/src/bin/commands/storage.ts';
import '../apps/server/src/bin/commands/journal.ts';
import { journalPage } from '../apps/server/src/app/journal-page.ts';
import { permissionsPage } from '../apps/server/src/app/permissions-page.ts';
import { contracts, toOpenApi } from '../packages/contract/src/index.ts';
import { coveragePage } from './api-coverage/coverage-page.ts';
import { cliPage } from './cli-reference/cli-page.ts';
import { withFeatureGraph } from './import-graph/picture.ts';

/** Writes the documents that are generated and checked in. A test fails when they differ from the code. */
const DOCS = join(import.meta.dirname, '../docs');
const description = toOpenApi(contracts, { version: '2.0', serverUrl: '/api/v2' });
writeFileSync(join(DOCS, 'api/openapi.json'), `${JSON.stringify(description, null, 2)}\n`);
writeFileSync(join(DOCS, 'journal.md'), journalPage());
writeFileSync(join(DOCS, 'permissions.md'), permissionsPage());
writeFileSync(join(DOCS, 'api/coverage.md'), coveragePage());
writeFileSync(join(DOCS, 'cli.md'), await cliPage());
const architecture = join(DOCS, 'architecture.md');
writeFileSync(architecture, withFeatureGraph(readFileSync(architecture, 'utf8')));
