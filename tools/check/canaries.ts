import { featureBoundaries, type Gate, glossaryTerms, migrationRules } from './gates.ts';

/** A fault that stands in the tree only while its gate looks for it. */
export interface Canary extends Gate {
  readonly file: string;
  readonly text: string;
  /** Part of what the gate must say when it fails, so that it fails for the right reason. */
  readonly mustSay: string;
}

function lint(name: string, file: string, text: string, mustSay = 'noRestrictedImports'): Canary {
  return { name, file, text, command: 'biome', args: ['lint', file], mustSay };
}

export const canaries: readonly Canary[] = [
  lint(
    'the platform imports a feature',
    'apps/server/src/platform/canary.ts',
    "import { putFlow } from '../features/flows/flow.service.ts';\nexport const canary = putFlow;\n",
  ),
  {
    name: "a feature imports another feature's store",
    file: 'apps/server/src/features/tags/canary.ts',
    text: "import { findFlow } from '../flows/flow.store.ts';\nexport const canary = findFlow;\n",
    command: featureBoundaries.command,
    args: featureBoundaries.args,
    mustSay: 'of another feature only services, reads and views are imported',
  },
  {
    name: 'a feature imports one of a floor above',
    file: 'apps/server/src/features/flows/canary.ts',
    text: "import { changeTags } from '../tags/tag.service.ts';\nexport const canary = changeTags;\n",
    command: featureBoundaries.command,
    args: featureBoundaries.args,
    mustSay: 'features import from their own floor and those below, never in a circle',
  },
  lint(
    'a feature imports the web server',
    'apps/server/src/features/tags/canary.ts',
    "import { fastify } from 'fastify';\nexport const canary = fastify;\n",
  ),
  lint(
    'the contract imports the server',
    'packages/contract/src/canary.ts',
    "import { buildApi } from '../../../apps/server/src/app/api.ts';\nexport const canary = buildApi;\n",
  ),
  lint(
    'a pure package imports the contract',
    'packages/template/src/canary.ts',
    "import { putFlow } from '@waymark/contract';\nexport const canary = putFlow;\n",
  ),
  lint(
    'the web application imports a pure package of the server',
    'apps/web/src/lib/canary.ts',
    "import { judge } from '@waymark/policy';\nexport const canary = judge;\n",
  ),
  lint(
    'the environment is read outside of the configuration',
    'apps/server/src/features/tags/canary.ts',
    'export const canary = process.env;\n',
    'noProcessEnv',
  ),
  {
    name: 'a name with a word that the glossary retired',
    file: 'apps/server/src/features/tags/canary.ts',
    text: 'export const standingOf = 1;\n',
    command: glossaryTerms.command,
    args: glossaryTerms.args,
    mustSay: 'standingOf: use state',
  },
  {
    name: 'a migration that locks a table while it builds an index',
    file: 'apps/server/migrations/9999_canary.sql',
    text: 'create index canary on flow (name);\n',
    command: migrationRules.command,
    args: migrationRules.args,
    mustSay: 'require-concurrent-index-creation During normal index creation',
  },
  {
    name: 'a type error',
    file: 'tools/canary.ts',
    text: "export const count: number = 'three';\n",
    command: 'tsc',
    args: ['--ignoreConfig', '--noEmit', '--strict', 'tools/canary.ts'],
    mustSay: 'TS2322',
  },
  {
    name: 'a promise nobody waits for',
    file: 'tools/canary.ts',
    text: 'async function save(): Promise<void> {}\n\nexport function forgetful(): void {\n  save();\n}\n',
    command: 'oxlint',
    args: ['--type-aware', 'tools/canary.ts'],
    mustSay: 'no-floating-promises',
  },
  {
    name: 'a file nobody imports',
    file: 'packages/contract/src/canary.ts',
    text: 'export const nobodyImportsThis = 1;\n',
    command: 'knip',
    args: ['--workspace', 'packages/contract'],
    mustSay: 'canary.ts',
  },
];
