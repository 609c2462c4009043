import { benchAttest, benchAttestAlone } from './bench/attest.ts';
import { benchCli } from './bench/cli.ts';
import { benchDeliver } from './bench/deliver.ts';
import { benchEvents } from './bench/events.ts';
import { benchEvidence } from './bench/evidence.ts';
import { benchFindings } from './bench/findings.ts';
import { benchGrow } from './bench/grow.ts';
import { benchSequence } from './bench/journal/sequence.ts';
import { benchSequencerCost } from './bench/journal/sequencer-cost.ts';
import { benchSequencingDelay } from './bench/journal/sequencing-delay.ts';
import { benchJudge } from './bench/judge.ts';
import { benchKey } from './bench/key.ts';
import { benchProvableDelay } from './bench/ledger/provable-delay.ts';
import { benchSeal } from './bench/ledger/seal.ts';
import { benchSealerCost } from './bench/ledger/sealer-cost.ts';
import { benchProof } from './bench/proof.ts';
import { benchRejudge } from './bench/rejudge.ts';
import { benchReportReordered, benchReportSame } from './bench/report.ts';
import { benchReportChanged } from './bench/report-changed.ts';
import { benchReportJudged } from './bench/report-judged.ts';
import { print } from './bench/rounds.ts';
import { benchRuntime } from './bench/runtime.ts';
import { benchSignIn } from './bench/sign-in.ts';
import { benchSimulate } from './bench/simulate.ts';
import { benchSnapshot } from './bench/snapshot.ts';
import { benchVerify } from './bench/verify.ts';
import { benchWeb } from './bench/web.ts';
import { benchWrite } from './bench/write.ts';

/**
 * Each bench compares in one run, ours with the bare engine or large with small, and reports whether its limit holds.
 */
const benches: Record<string, () => Promise<boolean>> = {
  attest: benchAttest,
  'attest-1': benchAttestAlone,
  cli: benchCli,
  deliver: benchDeliver,
  events: benchEvents,
  evidence: benchEvidence,
  findings: benchFindings,
  grow: benchGrow,
  judge: benchJudge,
  key: benchKey,
  'provable-delay': benchProvableDelay,
  proof: benchProof,
  rejudge: benchRejudge,
  'report-changed': benchReportChanged,
  'report-judged': benchReportJudged,
  'report-reordered': benchReportReordered,
  'report-same': benchReportSame,
  runtime: benchRuntime,
  seal: benchSeal,
  'sealer-cost': benchSealerCost,
  sequence: benchSequence,
  'sequencer-cost': benchSequencerCost,
  'sequencing-delay': benchSequencingDelay,
  'sign-in': benchSignIn,
  simulate: benchSimulate,
  snapshot: benchSnapshot,
  verify: benchVerify,
  web: benchWeb,
  write: benchWrite,
};

const name = process.argv[2] ?? '';
const bench = benches[name];
if (!bench) {
  print(`usage: pnpm bench ${Object.keys(benches).join('|')}`);
  process.exit(64);
}
process.exitCode = (await bench()) ? 0 : 1;
