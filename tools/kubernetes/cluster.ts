import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../release/run-program.ts';
import { until } from './parts.ts';
import { KUBE } from './programs.ts';

/** A Kubernetes of one node, with PostgreSQL, NATS, an S3 server and a registry beside it. */
export interface Cluster {
  readonly folder: string;
  /** Runs a program in the cluster's network, with kubectl's and Helm's settings, and returns what it printed. */
  run(program: string, args: readonly string[]): string;
  /** Starts a program in the cluster's network. */
  start(program: string, args: readonly string[]): ChildProcess;
  kubectl(...args: string[]): string;
  stop(): Promise<void>;
}

const CGROUPS = '/sys/fs/cgroup';
/** The kubelet makes it in every hierarchy, and nothing removes it. */
const PODS_CGROUP = 'kubepods';

/**
 * Starts it in namespaces of its own. Everything dies with the first process in there, and so do its mounts, its
 * interfaces and its firewall.
 */
export async function startCluster(secrets: string): Promise<Cluster> {
  if (findCgroups().length > 0) throw new Error(`this machine is a node already: there is ${findCgroups()[0]}`);
  const folder = mkdtempSync('/var/tmp/waymark-k8s-');
  chmodSync(folder, 0o755);
  const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'];
  // A shell is the first process, because it waits for orphans; Node does not.
  const inside = [process.execPath, join(import.meta.dirname, 'inside.ts'), folder, secrets];
  const line = ['sh', '-c', '"$@"; exit $?', 'sh', ...inside];
  const child = spawn('unshare', [...namespaces, '--', ...line], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));

  const env = { ...process.env, KUBECONFIG: join(folder, 'admin.kubeconfig'), HELM_CACHE_HOME: join(folder, 'helm') };
  const enter = (program: string, args: readonly string[]) => [
    '--target',
    `${child.pid}`,
    '--net',
    '--',
    program,
    ...args,
  ];
  const run = (program: string, args: readonly string[]) =>
    runProgram('nsenter', enter(program, args), { env }).toString();

  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
    await until('the pods are gone', () => findCgroups().every(removeCgroups));
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await until('the cluster is ready', () => {
      if (child.exitCode !== null) throw new Error('the cluster ended before it was ready');
      return existsSync(join(folder, 'ready'));
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    folder,
    run,
    start: (program, args) => spawn('nsenter', enter(program, args), { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    kubectl: (...args) => run(KUBE, ['kubectl', ...args]),
    stop,
  };
}

function findCgroups(): string[] {
  return globSync(join(CGROUPS, '{,*/}', PODS_CGROUP));
}

/** Whether it is gone. A group can be removed once its processes have ended. */
function removeCgroups(path: string): boolean {
  if (!existsSync(path)) return true;
  for (const name of readdirSync(path)) {
    const inner = join(path, name);
    if (statSync(inner).isDirectory()) removeCgroups(inner);
  }
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}
