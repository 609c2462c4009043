import { houseRules, type Program, proseOf } from './gates.ts';

/** A fault that a gate has to find. */
export interface Canary {
  readonly name: string;
  /** No two canaries share a file: all of them are planted at once. */
  readonly file: string;
  readonly text: string;
  /** Parts of what the gate must say when it fails, so that it fails for the right reason. */
  readonly mustSay: readonly string[];
}

/** One run of a tool, which has to find each of these canaries. */
export interface CanaryRun extends Program {
  readonly canaries: readonly Canary[];
}

const imports: readonly Canary[] = [
  {
    name: 'the platform imports a feature',
    file: 'apps/server/src/platform/canary-feature.ts',
    text: "import { putFlow } from '../features/flows/flow.service.ts';\nexport const canary = putFlow;\n",
    mustSay: ['platform/canary-feature.ts:1:25 lint/style/noRestrictedImports'],
  },
  {
    name: 'a feature imports the web server',
    file: 'apps/server/src/features/tags/canary-web-server.ts',
    text: "import { fastify } from 'fastify';\nexport const canary = fastify;\n",
    mustSay: ['tags/canary-web-server.ts:1:25 lint/style/noRestrictedImports'],
  },
  {
    name: 'the contract imports the server',
    file: 'packages/contract/src/canary-server.ts',
    text: "import { buildApi } from '../../../apps/server/src/app/api.ts';\nexport const canary = buildApi;\n",
    mustSay: ['contract/src/canary-server.ts:1:26 lint/style/noRestrictedImports'],
  },
  {
    name: 'a pure package imports the contract',
    file: 'packages/template/src/canary-contract.ts',
    text: "import { putFlow } from '@waymark/contract';\nexport const canary = putFlow;\n",
    mustSay: ['template/src/canary-contract.ts:1:25 lint/style/noRestrictedImports'],
  },
  {
    name: 'the web application imports a pure package of the server',
    file: 'apps/web/src/lib/canary-package.ts',
    text: "import { judge } from '@waymark/policy';\nexport const canary = judge;\n",
    mustSay: ['lib/canary-package.ts:1:23 lint/style/noRestrictedImports'],
  },
  {
    name: 'the environment is read outside of the configuration',
    file: 'apps/server/src/features/tags/canary-environment.ts',
    text: 'export const canary = process.env;\n',
    mustSay: ['tags/canary-environment.ts:1:23 lint/style/noProcessEnv'],
  },
];

const rules: readonly Canary[] = [
  {
    name: "a feature imports another feature's store",
    file: 'apps/server/src/features/tags/canary-store.ts',
    text: "import { findFlow } from '../flows/flow.store.ts';\nexport const canary = findFlow;\n",
    mustSay: ['of another feature only services, reads and views are imported', 'tags/canary-store.ts'],
  },
  {
    name: 'a feature imports one of a floor above',
    file: 'apps/server/src/features/flows/canary-floor.ts',
    text: "import { changeTags } from '../tags/tag.service.ts';\nexport const canary = changeTags;\n",
    mustSay: ['features import from their own floor and those below, never in a circle', 'flows/canary-floor.ts'],
  },
  {
    name: 'a name with a word that the glossary retired',
    file: 'apps/server/src/features/tags/canary-word.ts',
    text: 'export const standingOf = 1;\n',
    mustSay: ['standingOf: use state'],
  },
  {
    name: 'a migration that locks a table while it builds an index',
    file: 'apps/server/migrations/9999_canary.sql',
    text: 'create index canary on flow (name);\n',
    mustSay: ['require-concurrent-index-creation During normal index creation', '9999_canary.sql'],
  },
  {
    name: 'a module of a pure package remembers something',
    file: 'packages/template/src/canary-state.ts',
    text: 'const seen = new Set<string>();\nexport const see = (name: string) => seen.add(name);\n',
    mustSay: ['modules of packages hold no state', 'canary-state.ts: seen'],
  },
  {
    name: 'a feature reads people past the feature that owns them',
    file: 'apps/server/src/features/tags/canary-region.ts',
    text: "export const canary = { from: (db: { selectFrom(table: string): object }) => db.selectFrom('user_account') };\n",
    mustSay: ['tables of the region are read and written by the features that own them', 'tags/canary-region.ts'],
  },
];

const types: Canary = {
  name: 'a type error',
  file: 'tools/canary-type.ts',
  text: "export const count: number = 'three';\n",
  mustSay: ['TS2322'],
};

const promises: Canary = {
  name: 'a promise nobody waits for',
  file: 'tools/canary-promise.ts',
  text: 'async function save(): Promise<void> {}\n\nexport function forgetful(): void {\n  save();\n}\n',
  mustSay: ['no-floating-promises'],
};

const deadCode: Canary = {
  name: 'a file nobody imports',
  file: 'packages/contract/src/canary-unused.ts',
  text: 'export const nobodyImportsThis = 1;\n',
  mustSay: ['canary-unused.ts'],
};

const prose: readonly Canary[] = [
  {
    name: 'a page with a retired term, a clause as a heading and no next step',
    file: 'docs/canary.md',
    text: '# Canary\n\n## What is kept\n\nThe owner is told of it.\n',
    mustSay: [
      "docs/canary.md:5: Write 'notified, shown, or configured' instead of 'is told of'",
      "docs/canary.md:3: 'What is kept': a heading",
      'The page has no next step',
    ],
  },
  {
    name: 'a hedge before a number, and before a number as a word',
    file: 'docs/canary-hedge.md',
    text: '# Canary\n\nIt takes about 10 ms.\n\nA restart takes about a minute.\n\nNext: [more](index.md).\n',
    mustSay: [
      "docs/canary-hedge.md:3: 'about 1': state the number",
      "docs/canary-hedge.md:5: 'about a minute': state the number",
    ],
  },
  {
    name: 'a message with words that say nothing exact',
    file: 'packages/contract/src/canary-vague.ts',
    text: "export const canary = ['An id stands for it', 'The owner told them', 'Show the flow that fits'];\n",
    mustSay: [
      "canary-vague.ts:1: Write 'is, refers to, precedes, or remains' instead of 'stands'",
      "canary-vague.ts:1: Write 'notified, shown, or configured' instead of 'told'",
      "canary-vague.ts:1: Write 'matches' instead of 'that fits'",
    ],
  },
  {
    name: 'a screen with a retired term',
    file: 'apps/web/src/pages/canary.tsx',
    text: 'export const Canary = () => (\n  <p>\n    No environment fits\n  </p>\n);\n',
    mustSay: ["apps/web/src/pages/canary.tsx:2: Write 'no matches' instead of 'No environment fits'"],
  },
  {
    name: 'a mail with a retired term',
    file: 'apps/server/src/features/tags/canary-mail.ts',
    text: "import { html } from '../../platform/http/html.ts';\n\nexport const canary = html`<p>\nThe <b>owner</b> is told of it</p>`;\n",
    mustSay: ["features/tags/canary-mail.ts:4: Write 'notified, shown, or configured' instead of 'is told of'"],
  },
  {
    name: 'a misspelled message',
    file: 'packages/contract/src/canary-spelling.ts',
    text: "export const canary = 'The enviroment is unknown';\n",
    mustSay: ['packages/contract/src/canary-spelling.ts:1: Unknown word (enviroment)'],
  },
];

/** The longest first. */
export const canaryRuns: readonly CanaryRun[] = [
  { command: 'vitest', args: houseRules.args, canaries: rules },
  {
    command: 'biome',
    args: ['lint', '--max-diagnostics=none', ...imports.map(({ file }) => file)],
    canaries: imports,
  },
  { ...proseOf(...prose.map(({ file }) => file)), canaries: prose },
  { command: 'knip', args: ['--workspace', 'packages/contract'], canaries: [deadCode] },
  { command: 'oxlint', args: ['--type-aware', promises.file], canaries: [promises] },
  { command: 'tsc', args: ['--ignoreConfig', '--noEmit', '--strict', types.file], canaries: [types] },
];
