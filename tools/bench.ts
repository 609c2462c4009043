import { benchRelay } from './bench/relay.ts';
import { print } from './bench/rounds.ts';
import { benchWrite } from './bench/write.ts';

/** Each bench compares ours with the bare engine in one run and says whether its floor holds. */
const benches: Record<string, () => Promise<boolean>> = { relay: benchRelay, write: benchWrite };

const name = process.argv[2] ?? '';
const bench = benches[name];
if (!bench) {
  print(`usage: pnpm bench ${Object.keys(benches).join('|')}`);
  process.exit(64);
}
process.exitCode = (await bench()) ? 0 : 1;
