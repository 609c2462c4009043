import { whoAmI } from '../../auth/who-am-i.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  examples: [
    { say: 'The login', run: 'waymark whoami' },
    { say: 'The role in the org', run: 'waymark whoami --jq .role' },
  ],
  build: (command) => command,
  async run(session) {
    const { source } = await session.signIn();
    const identity = await whoAmI(session, session.client(), source);
    if (identity.role !== null) session.say(`${identity.role} of ${identity.org} at ${identity.host}`);
    return { data: identity, text: identity.login };
  },
});
