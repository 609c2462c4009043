import { getAttestationType } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { factsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Shows the rules that judge data of this type. The schema is in the JSON output.',
  examples: [
    { say: 'The newest version', run: 'waymark attestation-type get coverage' },
    { say: 'The schema', run: 'waymark attestation-type get coverage --jq .versions[0].type_schema' },
  ],
  build: (command) =>
    command.argument('<name>', 'name of the type').option('--of-version <number>', 'only this version', Number),
  async run(session, [name], { ofVersion }) {
    const type = await session.client().call(getAttestationType, {
      params: { org: session.need('org'), name },
      query: given({ version: ofVersion }),
      signal: session.io.signal,
    });
    const [newest] = type.versions;
    return {
      data: type,
      text: (style) =>
        factsText(`${style.strong(type.name)} version ${newest?.version ?? 0}${type.archived ? ' (archived)' : ''}`, [
          ['description', type.description],
          ['schema', newest?.type_schema ? 'data must match a schema' : 'none: any data is accepted'],
          ...(newest?.evaluator.rules ?? []).map((rule): [string, string] => ['rule', rule]),
          ['comment', newest?.comment],
          ['versions', type.versions.length],
          ['created', `${showTime(type.created_at, session)} by ${type.created_by}`],
        ]),
    };
  },
});
