import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mirror } from '../image/sources.ts';
import { runProgram } from '../release/run-program.ts';
import { dataDir } from './endpoints.ts';

const FOLDER = join(dataDir, 'prometheus');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Fetches both programs once. Any version from 2.53 on will do, so it is the one that Debian has today. */
export function installPrometheus(): PrometheusPrograms {
  const programs = { prometheus: join(FOLDER, 'usr/bin/prometheus'), promtool: join(FOLDER, 'usr/bin/promtool') };
  if (existsSync(programs.promtool) && existsSync(programs.prometheus)) return programs;
  try {
    fetchPrograms();
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Prometheus and promtool are needed, and cannot be fetched from Debian sid: ${message}`);
  }
  return programs;
}

/** With lists of its own, so that nothing of this machine's packages changes. */
function fetchPrograms(): void {
  mkdirSync(dataDir, { recursive: true });
  const work = mkdtempSync(join(dataDir, 'prometheus-'));
  try {
    const apt = join(work, 'apt');
    for (const folder of ['etc/apt/preferences.d', 'etc/apt/apt.conf.d', 'etc/apt/trusted.gpg.d']) {
      mkdirSync(join(apt, folder), { recursive: true });
    }
    for (const folder of ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial']) {
      mkdirSync(join(apt, folder), { recursive: true });
    }
    writeFileSync(join(apt, 'etc/apt/sources.list'), `deb [signed-by=${KEYRING}] ${mirror()} sid main\n`);
    const options = ['-q', '-o', `Dir=${apt}`, '-o', 'Dir::State::status=/dev/null', '-o', 'APT::Sandbox::User=root'];
    runProgram('apt-get', [...options, 'update']);
    runProgram('apt-get', [...options, 'download', 'prometheus', 'promtool'], { cwd: work });
    const unpacked = join(work, 'unpacked');
    for (const file of globSync(join(work, '*.deb'))) runProgram('dpkg-deb', ['-x', file, unpacked]);
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(unpacked, FOLDER);
  } finally {
    rmSync(work, { recursive: true });
  }
}
