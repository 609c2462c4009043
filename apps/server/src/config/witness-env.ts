import type { CertificateFiles } from '../platform/http/certificate.ts';
import { ConfigError, certificateFiles, describe, metricsOf, tlsProblems } from './env.ts';
import { readSecretFiles } from './secret-files.ts';
import { WitnessSettings, witnessMetaOf } from './witness-settings.ts';

/** What a witness needs. It has no database, no files of customers and no stream. */
export interface WitnessConfig {
  /** An skey. */
  readonly key: string;
  /** Path of a tlog-policy file. */
  readonly policy: string;
  /** Path of a directory. */
  readonly state: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly tls: CertificateFiles | undefined;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly logLevel: string;
}

export function loadWitnessConfig(env: Readonly<Record<string, string | undefined>>): WitnessConfig {
  const names = Object.keys(WitnessSettings.shape) as (keyof WitnessSettings)[];
  const isSecret = (name: string) => witnessMetaOf(name as keyof WitnessSettings).isSecret === true;
  const { values, problems: unread } = readSecretFiles(env, names, isSecret);
  const result = WitnessSettings.safeParse(values);
  const problems = [...unread, ...(result.error?.issues.map(describe) ?? []), ...tlsProblems(values)];
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  const settings = result.data;
  return Object.freeze({
    key: settings.WAYMARK_WITNESS_KEY,
    policy: settings.WAYMARK_WITNESS_POLICY,
    state: settings.WAYMARK_WITNESS_STATE,
    listen: { host: settings.WAYMARK_LISTEN_HOST, port: settings.WAYMARK_PORT },
    tls: certificateFiles(settings),
    metrics: metricsOf(settings),
    logLevel: settings.WAYMARK_LOG_LEVEL,
  });
}
