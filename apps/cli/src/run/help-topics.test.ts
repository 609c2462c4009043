import { expect, it } from 'vitest';
import { givenCli } from '../../test/given-cli.ts';
import { helpTopicNames } from './help-topics.ts';

const cli = givenCli();

it('has every topic that the help names, in lines that fit a terminal', async () => {
  const { stdout: root } = await cli.run(['--help']);
  const [, named = ''] = /waymark help TOPIC +([\s\S]*)$/.exec(root) ?? [];
  expect(named.trim().split(/,\s+/).toSorted()).toEqual(helpTopicNames.toSorted());
  const asked = [[], ...helpTopicNames.map((topic) => [topic]), ['snapshot', 'k8s'], ['attest']];
  for (const line of asked) {
    const { stdout } = await cli.run(['help', ...line]);
    expect(stdout.split('\n').filter((text) => text.length > 100)).toEqual([]);
  }
  for (const topic of helpTopicNames) {
    const { code, stdout } = await cli.run(['help', topic]);
    expect({ code, isThere: stdout.length > 100 }).toEqual({ code: 0, isThere: true });
  }
});
