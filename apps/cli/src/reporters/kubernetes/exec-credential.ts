import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { CliError } from '../../run/cli-error.ts';
import { plainText } from '../report.ts';

export interface ExecPlugin {
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

export interface ExecCredential {
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly expiresAt: number;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs the credential plugin of a kubeconfig. Its output is never shown, as that is the secret. */
export async function runExecPlugin(
  plugin: ExecPlugin,
  { kubeconfig, env, cluster }: { kubeconfig: string; env: Env; cluster: object },
): Promise<ExecCredential> {
  const apiVersion = plugin.apiVersion ?? 'client.authentication.k8s.io/v1';
  const spec = { interactive: false, ...(plugin.provideClusterInfo && { cluster }) };
  const output = await run(plugin, kubeconfig, {
    ...env,
    ...Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }),
  });
  const status = statusIn(output);
  if (!status) throw new CliError('denied', `${plugin.command} did not print a credential for the cluster`);
  const expires = Date.parse(status.expirationTimestamp ?? '');
  return {
    token: status.token,
    cert: status.clientCertificateData,
    key: status.clientKeyData,
    // Some seconds early, so that a credential is not too old when it arrives.
    expiresAt: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - 30_000,
  };
}

function run(plugin: ExecPlugin, kubeconfig: string, env: Env): Promise<string> {
  const { command, args, installHint } = plugin;
  const program = command.includes('/') ? resolve(dirname(kubeconfig), command) : command;
  const { promise, resolve: succeed, reject } = Promise.withResolvers<string>();
  const child = execFile(
    program,
    [...(args ?? [])],
    { env: { ...env }, timeout: 60_000, maxBuffer: 1024 * 1024 },
    (error, stdout, stderr) => {
      if (!error) return succeed(stdout);
      const isMissing = 'code' in error && error.code === 'ENOENT';
      const why = isMissing ? 'Program not found' : lastLine(stderr);
      const fix = isMissing ? installHint : undefined;
      // Not the error itself: it carries the arguments and all output.
      reject(
        new CliError('denied', `${command}, which provides the credential for the cluster, failed`, {
          ...(why && { why }),
          ...(fix && { fix: plainText(fix, 500) }),
        }),
      );
    },
  );
  child.stdin?.end();
  return promise;
}

function lastLine(text: string): string {
  return plainText(text.trim().split('\n').at(-1) ?? '', 300);
}

interface Status {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

function statusIn(output: string): Status | undefined {
  try {
    const { status } = JSON.parse(output) as { status?: Status };
    return status?.token || (status?.clientCertificateData && status.clientKeyData) ? status : undefined;
  } catch {
    return undefined;
  }
}
