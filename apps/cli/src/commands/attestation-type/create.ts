import { type AttestationType, getAttestationType, postAttestationType } from '@waymark/contract';
import { collect, given, readPairs } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { sameJson } from '../../resources/same-json.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { outcomeOf, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'The first time it makes the type, later a new version of it; nothing is done when the newest version is the same. ' +
    'Data is compliant when it fits the schema and each rule yields true.',
  examples: [
    { say: 'A rule in jq', run: "waymark attestation-type create coverage --rule '.line >= 75'" },
    {
      say: 'With a schema, and what to show of the data',
      run: "waymark attestation-type create coverage --schema schema.json --rule '.line >= 75' --summary lines=.line",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the type')
      .option('--description <text>', 'what it is about')
      .option('--schema <file>', 'JSON Schema that data must fit; - is standard input')
      .option('--rule <expression>', 'in jq; can be repeated', collect)
      .option('--summary <name=expression>', 'what is shown of the data, in jq; can be repeated', collect)
      .option('--comment <text>', 'what is new in this version'),
  async run(session, [name], { description, schema, rule, summary, comment }) {
    const version = {
      type_schema: schema === undefined ? null : readSchema(schema, await readInput(session, schema)),
      evaluator: rule ? { content_type: 'jq' as const, rules: rule } : { content_type: 'default' as const },
      summary: summary
        ? Object.entries(readPairs('--summary', summary)).map(([label, expression]) => ({ name: label, expression }))
        : null,
    };
    const current = await currentType(session, name);
    const [newest] = current?.versions ?? [];
    const isSame =
      current !== undefined &&
      newest !== undefined &&
      sameJson(version, {
        type_schema: newest.type_schema,
        evaluator: newest.evaluator,
        summary: newest.summary,
      }) &&
      (description === undefined || description === (current.description ?? ''));
    if (isSame) {
      return outcomeOf(
        session,
        { name, outcome: 'unchanged', version: newest.version },
        `Attestation type '${name}' unchanged, it has version ${newest.version}`,
      );
    }
    const message = await session.client().call(postAttestationType, {
      params: { org: session.need('org') },
      body: { name, ...version, ...given({ description, comment }) },
      ...writing(session),
    });
    const outcome = current === undefined ? 'created' : 'updated';
    return outcomeOf(session, { name, outcome, version: (newest?.version ?? 0) + 1 }, message);
  },
});

function currentType(session: Session, name: string): Promise<AttestationType | undefined> {
  const params = { org: session.need('org'), name };
  return unlessMissing(session.client().call(getAttestationType, { params, signal: session.io.signal }));
}

function readSchema(file: string, text: string): Record<string, unknown> {
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as never;
  } catch (error) {
    throw usageError(`${file} is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  throw usageError(`${file} is not a JSON Schema`, 'It must be an object');
}
