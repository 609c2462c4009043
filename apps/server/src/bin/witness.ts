import { readFile } from 'node:fs/promises';
import {
  COSIGNATURE,
  formatVerifierKey,
  parsePolicy,
  parseSigningKey,
  type SigningKey,
  signerOf,
  type TrustPolicy,
} from '@waymark/transparency';
import type { WitnessConfig } from '../config/witness-env.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { systemClock } from '../platform/time.ts';
import { createWitness } from '../platform/witness/witness.ts';
import { openWitnessServer } from '../platform/witness/witness-server.ts';
import { openWitnessState } from '../platform/witness/witness-state.ts';
import { orCannotListen, orMisconfigured } from './start.ts';

export interface WitnessProcess {
  readonly config: WitnessConfig;
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
}

/** A witness needs its key, the logs that it cosigns, and a directory: no database. */
export async function startWitness({ config, log, metrics }: WitnessProcess): Promise<{ stop(): Promise<void> }> {
  const key = await orMisconfigured('WAYMARK_WITNESS_KEY', readKey(config.key));
  const policy = await orMisconfigured('WAYMARK_WITNESS_POLICY', readLogs(config.policy));
  const state = await orMisconfigured('WAYMARK_WITNESS_STATE', openWitnessState(config.state));
  const logNames = [...new Set(policy.logs.map((log) => log.key.name))];
  for (const origin of logNames) await orMisconfigured('WAYMARK_WITNESS_STATE', state.read(origin));
  const verifierKey = formatVerifierKey(key);
  const witness = createWitness({ signer: signerOf(key), policy, state, now: systemClock });
  const opened = openWitnessServer({ witness, verifierKey, logNames, tls: config.tls, metrics, log });
  const server = await orMisconfigured('WAYMARK_TLS_CERT or WAYMARK_TLS_KEY', opened);
  await orCannotListen('WAYMARK_PORT', config.listen, server.listen(config.listen));
  log.info({ verifierKey, logNames, ...config.listen }, 'witness listens');
  return { stop: () => server.close() };
}

async function readKey(text: string): Promise<SigningKey> {
  const key = await parseSigningKey(text);
  if (key.algorithm === COSIGNATURE) return key;
  throw new Error('the key is not one for cosignatures: generate one with `waymark-server witness key`');
}

async function readLogs(path: string): Promise<TrustPolicy> {
  const policy = parsePolicy(await readFile(path));
  if (policy.logs.length > 0) return policy;
  throw new Error(`${path} has no log line, so there is nothing to cosign`);
}
