import { InvalidArgumentError } from '@commander-js/extra-typings';
import { ApiError } from '@waymark/client';
import { type RotatedApiKey, rotateServiceAccountKey, rotateUserKey } from '@waymark/contract';
import { given, readSeconds } from '../../resources/options.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { endText, expiresOption, expiryOf, limitedText, ownerText, saOption } from './key-options.ts';

export const command = defineCommand({
  description:
    'Creates a new key with the same scope and keeps the old one valid for a grace period, so that you can replace ' +
    'it where it is used. Without --expires, the new key is valid for as long as the old one was, counted from now, ' +
    'but never longer than the key you use. Prints the new key once. A key can be rotated only once: of two ' +
    'concurrent rotations, one gets the new key and the other exits with 6.',
  examples: [
    {
      say: 'With the default grace period of one day',
      run: 'waymark key rotate 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d --sa builder',
    },
    {
      say: 'Rotate your own key and use the new one',
      run: 'waymark key rotate 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d | waymark auth login --with-token',
    },
  ],
  build: (command) =>
    command
      .argument('<id>', "id of the key, as 'waymark key list' shows it")
      .addOption(saOption())
      .option('--grace <duration>', 'how long the old key stays valid, 1h to 720h (default: 24h)', readHours)
      .addOption(expiresOption()),
  async run(session, [id], { sa, grace, expires }) {
    const body = given({ grace_period_hours: grace, expires_at: expiryOf(session, expires) });
    const rotated = await rotate(session, id, sa, body).catch(asConflict);
    const { key, grace_period_expires_at, expires_at } = rotated;
    session.say(`Key ${rotated.id}${ownerText(sa)} replaces ${id}; expires: ${endText(session, expires_at)}`);
    if (rotated.expiry_limited) session.say(limitedText);
    session.say(
      `The old key is valid until ${showTime(grace_period_expires_at, session)}. The new key is shown only once`,
    );
    return { data: rotated, text: key };
  },
});

function rotate(
  session: Session,
  key_id: string,
  sa: string | undefined,
  body: { grace_period_hours?: number; expires_at?: number },
): Promise<RotatedApiKey> {
  const { signal } = session.io;
  if (sa === undefined) return session.client().call(rotateUserKey, { params: { key_id }, body, signal });
  const params = { org: session.need('org'), name: sa, key_id };
  return session.client().call(rotateServiceAccountKey, { params, body, signal });
}

function asConflict(error: unknown): never {
  const reason = error instanceof ApiError && error.status === 400 ? (error.fields?.['key_id'] ?? '') : '';
  if (!(error instanceof ApiError) || !reason.includes('was rotated before')) throw error;
  throw new CliError('conflict', reason, {
    fix: 'The new key was shown to the person who rotated it. If it is lost, revoke it, and rotate this key again',
    requestId: error.requestId,
    cause: error,
  });
}

function readHours(text: string): number {
  const hours = readSeconds(text) / 3600;
  if (Number.isInteger(hours) && hours >= 1 && hours <= 720) return hours;
  throw new InvalidArgumentError('It must be whole hours, from 1h to 720h.');
}
