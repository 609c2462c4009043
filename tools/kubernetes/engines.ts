import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { natsServer, postgresProgram, versitygw } from '../services/install.ts';
import { NODE_IP, PORTS } from './addresses.ts';
import { type Part, until } from './parts.ts';

/** The bucket for evidence files. */
export const BUCKET = 'evidence';

/** What the cluster does not run itself: PostgreSQL, NATS and an S3 server, with secrets that were generated before. */
export function prepareEngines(folder: string, secrets: string): Part[] {
  const secret = (name: string) => readFileSync(join(secrets, name), 'utf8');
  return [preparePostgres(folder), prepareNats(folder, secret('nats-password')), prepareS3(folder, secret)];
}

function preparePostgres(folder: string): Part {
  const dir = join(folder, 'postgres');
  const user = idsOf('postgres');
  mkdirSync(dir);
  chownSync(dir, user.uid, user.gid);
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8'];
  const init = [
    postgresProgram('initdb'),
    '-D',
    dir,
    '-U',
    'postgres',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
  ];
  runProgram('runuser', ['-u', 'postgres', '--', ...init, ...locale], { cwd: '/' });
  writeFileSync(join(dir, 'pg_hba.conf'), 'local all all trust\nhost all all 0.0.0.0/0 scram-sha-256\n');
  const settings = ['-D', dir, '-k', dir, '-h', NODE_IP, '-p', `${PORTS.postgres}`, '-c', 'fsync=off'];
  return { name: 'postgres', command: postgresProgram('postgres'), args: settings, user };
}

/** As an administrator of PostgreSQL prepares it: a role that may create the one for servers, and its database. */
export async function createDatabase(folder: string, secrets: string): Promise<void> {
  const psql = (text: string) =>
    runProgram(postgresProgram('psql'), ['-h', join(folder, 'postgres'), '-U', 'postgres', '-XAtqc', text]);
  await until('PostgreSQL answers', () => {
    try {
      return psql('select 1').length > 0;
    } catch {
      return false;
    }
  });
  const password = readFileSync(join(secrets, 'database-owner-password'), 'utf8');
  psql(`create role waymark login createrole password '${password}'`);
  psql(`create database waymark owner waymark template template0 encoding 'UTF8' locale 'C.UTF-8'`);
}

function prepareNats(folder: string, password: string): Part {
  const file = join(folder, 'nats.conf');
  writeFileSync(
    file,
    `listen: "${NODE_IP}:${PORTS.nats}"
jetstream { store_dir: "${folder}/nats", sync_interval: always }
authorization { user: waymark, password: "${password}" }
`,
  );
  return { name: 'nats', command: natsServer.path, args: ['-c', file] };
}

function prepareS3(folder: string, secret: (name: string) => string): Part {
  const dir = join(folder, 's3');
  mkdirSync(join(dir, BUCKET), { recursive: true });
  const env = {
    VGW_PORT: `${NODE_IP}:${PORTS.s3}`,
    VGW_REGION: 'us-east-1',
    ROOT_ACCESS_KEY: secret('s3-access-key'),
    ROOT_SECRET_KEY: secret('s3-secret-key'),
  };
  return { name: 's3', command: versitygw.path, args: ['--quiet', 'posix', dir], env };
}

function idsOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(runProgram('id', [flag, name]).toString());
  return { uid: id('-u'), gid: id('-g') };
}
