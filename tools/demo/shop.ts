/** Who and what the demo is about. */

export const ORG = 'acme';

export const PHYSICAL = ['staging', 'production', 'eu-production', 'batch'] as const;
export type Place = (typeof PHYSICAL)[number];
export const WHOLE = 'all-production';

export interface Service {
  readonly name: ServiceName;
  readonly team: string;
  readonly risk: 'high' | 'medium' | 'low';
  readonly description: string;
  readonly suites: readonly [string, ...string[]];
  readonly changes: readonly [string, ...string[]];
}

export type ServiceName = 'checkout' | 'payments' | 'search' | 'web' | 'catalog' | 'mailer';

export const SERVICES: readonly Service[] = [
  {
    name: 'checkout',
    team: 'orders',
    risk: 'high',
    description: 'Turns carts into orders',
    suites: ['cart', 'order', 'vouchers'],
    changes: [
      'Keep the cart when the session ends',
      'Round vouchers per line',
      'Ask for a phone number only if the carrier needs it',
      'Reserve stock before the payment starts',
      'Show the delivery date before the last step',
    ],
  },
  {
    name: 'payments',
    team: 'payments',
    risk: 'high',
    description: 'Processes payments with banks and card networks',
    suites: ['cards', 'refunds', 'ledger'],
    changes: [
      'Retry timed-out card payments once',
      'Post refunds on the day they are requested',
      'Parse amounts as integer cents',
      'Show the card network in decline messages',
      'Close the ledger at midnight UTC',
    ],
  },
  {
    name: 'search',
    team: 'discovery',
    risk: 'medium',
    description: 'Product search with filters',
    suites: ['query', 'ranking'],
    changes: [
      'Rank in-stock products first',
      'Handle German plurals',
      'Cut the index size in half',
      'Suggest brands while typing',
      'Skip counts for unused facets',
    ],
  },
  {
    name: 'web',
    team: 'discovery',
    risk: 'medium',
    description: 'Customer-facing website',
    suites: ['pages', 'forms', 'accessibility'],
    changes: [
      'Load images lazily',
      'Make the cart reachable by keyboard',
      'Drop the old product page',
      'Translate error pages',
      'Show prices with and without tax',
    ],
  },
  {
    name: 'catalog',
    team: 'products',
    risk: 'low',
    description: 'Manages products, prices, and images',
    suites: ['import', 'prices'],
    changes: [
      'Import prices in one transaction',
      'Record price history',
      'Reject images without a size',
      'Merge products with the same code',
      'Publish changes as they happen',
    ],
  },
  {
    name: 'mailer',
    team: 'orders',
    risk: 'low',
    description: 'Sends order confirmations and newsletters',
    suites: ['templates', 'queue'],
    changes: [
      'Send confirmations before newsletters',
      'Wait longer after a soft bounce',
      'Link to the order, not to the account',
      'Drop addresses that bounced three times',
      'Format dates by customer locale',
    ],
  },
];

export interface Engineer {
  readonly username: string;
  readonly name: string;
}

export const ENGINEERS: readonly [Engineer, ...Engineer[]] = [
  { username: 'dana', name: 'Dana Okafor' },
  { username: 'emil', name: 'Emil Sørensen' },
  { username: 'farah', name: 'Farah Haddad' },
  { username: 'goran', name: 'Goran Petrović' },
  { username: 'hanna', name: 'Hanna Lindqvist' },
  { username: 'ivo', name: 'Ivo Marek' },
];

export const CONTROLS = {
  provenance: 'SDLC-CTRL-01',
  secondPerson: 'SDLC-CTRL-02',
  scanned: 'SDLC-CTRL-03',
  materials: 'SDLC-CTRL-04',
  signOff: 'SDLC-CTRL-05',
} as const;
