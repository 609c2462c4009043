import { expect, it } from 'vitest';
import { isInside, isPermitted, isPublic, isSameAddress, parseNetworks } from './public-address.ts';

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '223.255.255.254',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
];

const otherAddresses = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0000:0000:0000:0000:0000:0000:0000:0001'],
  private: ['10.0.0.5', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00::5efe:7f00:1', 'fec0::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'benchmarks, documentation and reserved': [
    '198.18.0.1',
    '198.19.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '240.0.0.1',
    '2001:2::1',
    '2001:db8::1',
    '3ffe::1',
    '3fff::1',
    '5f00::1',
    '100::1',
    '100:0:0:1::1',
    '4000::1',
  ],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  'IPv4 inside of IPv6': [
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1:7f00:0:100::',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::',
    '2001:0:7f00:1::',
    '2606:4700:4700::5efe:a00:1',
    '2606:4700:4700:0:200:5efe:a00:1',
  ],
  'what is no address, or not spelled as one': [
    '',
    'localhost',
    'example.org',
    '127.1',
    '2130706433',
    '0x7f000001',
    '010.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8/32',
    '[2606:4700:4700::1111]',
    '2606:4700:4700::1111%eth0',
  ],
};

it.each(publicAddresses)('takes %s for public', (address) => {
  expect(isPublic(address)).toBe(true);
});

it.each(Object.entries(otherAddresses))('takes nothing of %s for public', (_kind, addresses) => {
  expect(addresses.filter(isPublic)).toEqual([]);
});

it('finds an address in networks of its own family only', () => {
  const networks = parseNetworks(['10.0.0.0/8', 'fd00::/8']);

  const tried = ['10.1.2.3', 'fd12::1', '11.0.0.1', 'fc00::1', '::ffff:10.1.2.3', 'fd12::1%eth0', 'localhost', ''];
  expect(tried.filter((address) => isInside(address, networks))).toEqual(['10.1.2.3', 'fd12::1']);
});

it('permits an address that carries another one only if that is public or permitted, too', () => {
  const carrying = (address: string, hex: string) => [
    `::${address}`,
    `::ffff:${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${address}`,
    `64:ff9b:1:808:8:800:${hex}`,
    `64:ff9b:1:${hex.slice(0, 4)}:${hex.slice(5, 7)}:${hex.slice(7)}00::`,
    `2002:${hex}::1`,
    `2606:4700:4700::5efe:${address}`,
    `fd00::200:5efe:${address}`,
  ];
  const permitted = (addresses: readonly string[], ...cidrs: string[]) => {
    const networks = parseNetworks(cidrs);
    return addresses.filter((address) => isPermitted(address, networks));
  };

  for (const [address, hex] of [
    ['127.0.0.1', '7f00:0001'],
    ['10.1.2.3', '0a01:0203'],
    ['0.0.0.0', '0000:0000'],
  ] as const) {
    // What begins like 8.8.8.8 and ends in zeros is that address and no other.
    const carriers = carrying(address, hex).filter((each) => each !== '64:ff9b:1:808:8:800:0000:0000');
    expect(permitted(carriers, '::/0')).toEqual([]);
    expect(permitted(carriers, '::/0', `${address}/32`)).toEqual(carriers);
  }
  const harmless = carrying('8.8.8.8', '0808:0808');
  expect(permitted(harmless, '::/0')).toEqual(harmless);
  expect(permitted(harmless, '8.8.8.8/32')).toEqual([]);
  expect(permitted(['::1', 'fd00::1', '10.0.0.1'], '::/0', '10.0.0.0/8')).toEqual(['::1', 'fd00::1', '10.0.0.1']);
});

it.each(['', '10.0.0.0', '10.0.0.0/33', '10/8', '0x0a.0.0.0/8', 'localhost/8', 'fd00::/129', 'fe80::%eth0/64'])(
  'does not take %j for a network',
  (cidr) => {
    expect(() => parseNetworks([cidr])).toThrow(`'${cidr}' is not a network such as 10.0.0.0/8 or fd00::/8`);
  },
);

it('compares addresses and not their spelling', () => {
  expect(isSameAddress('2606:4700:4700:0:0:0:0:1111', '2606:4700:4700::1111')).toBe(true);
  expect(isSameAddress('10.0.0.1', '10.0.0.2')).toBe(false);
  expect(isSameAddress('', '')).toBe(false);
});
