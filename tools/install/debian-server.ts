import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilReady } from '../services/ready.ts';
import type { CleanRoot } from './clean-root.ts';

/** Sets where the installed package serves. */
export function setPort(root: CleanRoot, port: number): void {
  const file = '/etc/waymark/waymark.env';
  root.run(`sed -i 's#^WAYMARK_PUBLIC_URL=.*#WAYMARK_PUBLIC_URL=http://localhost:${port}#' ${file}`);
  root.run(`echo WAYMARK_PORT=${port} >> ${file}`);
}

/** systemd does not run in tests, so the command of the unit is started as its user. */
export async function startUnit({ path }: CleanRoot, port: number): Promise<ChildProcess> {
  const unit = readFileSync(join(path, 'lib/systemd/system/waymark.service'), 'utf8');
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const asUser = `exec setpriv --reuid=waymark --regid=waymark --init-groups ${command}`;
  const server = spawn('chroot', [path, 'bash', '-c', `set -a; . /etc/waymark/waymark.env; ${asUser}`]);
  await untilReady(`http://localhost:${port}`, { isAlive: () => server.exitCode === null, hint: 'See its log.' });
  return server;
}

/** As `systemctl stop` does. */
export async function stopUnit(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill();
  await once(server, 'exit');
}
