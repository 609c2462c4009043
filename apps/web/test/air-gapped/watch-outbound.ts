import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../../tools/release/run-program.ts';

/** What was sent to an address other than loopback, such as `198.51.100.7 tcp 443`. */
export interface Outbound {
  readonly packets: number;
  readonly to: readonly string[];
}

const RULES = `
table inet watch {
  counter left {}
  set to4 { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 1024; }
  set to6 { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 1024; }
  chain output {
    type filter hook output priority 0;
    ip daddr 127.0.0.0/8 accept
    ip6 daddr ::1 accept
    counter name left
    ip version 4 meta l4proto { tcp, udp } add @to4 { ip daddr . meta l4proto . th dport }
    ip6 version 6 meta l4proto { tcp, udp } add @to6 { ip6 daddr . meta l4proto . th dport }
    reject
  }
}`;

/**
 * Gives this namespace, which must be new, loopback and a counter. The default route leads to loopback as well: without
 * one the kernel would refuse a connection before any packet could be counted. The name server is an outside address, so
 * that looking up a name counts, too.
 */
export function watchOutbound(): () => Outbound {
  const folder = mkdtempSync(join(tmpdir(), 'air-gapped-'));
  const resolver = join(folder, 'resolv.conf');
  writeFileSync(resolver, 'nameserver 192.0.2.53\noptions timeout:1 attempts:1\n');
  runProgram('mount', ['--bind', resolver, '/etc/resolv.conf']);
  rmSync(folder, { recursive: true });
  for (const line of [
    'link set lo up',
    'address add 192.0.2.1/32 dev lo',
    '-6 address add 2001:db8::1/128 dev lo',
    'route add default dev lo',
    '-6 route add default dev lo',
  ]) {
    runProgram('ip', line.split(' '));
  }
  runProgram('nft', ['-f', '-'], { input: Buffer.from(RULES) });
  return readOutbound;
}

interface Listed {
  readonly nftables: readonly {
    readonly counter?: { readonly packets: number };
    readonly set?: { readonly elem?: readonly { readonly concat: readonly (string | number)[] }[] };
  }[];
}

function readOutbound(): Outbound {
  const { nftables } = JSON.parse(String(runProgram('nft', ['-j', 'list', 'table', 'inet', 'watch']))) as Listed;
  return {
    packets: nftables.find(({ counter }) => counter)?.counter?.packets ?? 0,
    to: nftables.flatMap(({ set }) => set?.elem ?? []).map(({ concat }) => concat.join(' ')),
  };
}
