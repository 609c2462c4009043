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
    description: 'Takes a cart and makes an order of it',
    suites: ['cart', 'order', 'vouchers'],
    changes: [
      'Keep the cart when the session ends',
      'Round vouchers per line',
      'Ask for the phone number only where the carrier needs it',
      'Reserve stock before the payment starts',
      'Show the delivery date before the last step',
    ],
  },
  {
    name: 'payments',
    team: 'money',
    risk: 'high',
    description: 'Talks to banks and card schemes',
    suites: ['cards', 'refunds', 'ledger'],
    changes: [
      'Retry a card that timed out once',
      'Book refunds on the day they are asked for',
      'Read amounts as whole cents',
      'Name the scheme in declines',
      'Close the ledger at midnight UTC',
    ],
  },
  {
    name: 'search',
    team: 'discovery',
    risk: 'medium',
    description: 'Finds products by words and filters',
    suites: ['query', 'ranking'],
    changes: [
      'Rank what is in stock first',
      'Understand plurals in German',
      'Cut the index in half',
      'Suggest brands while typing',
      'Stop counting facets nobody opens',
    ],
  },
  {
    name: 'web',
    team: 'discovery',
    risk: 'medium',
    description: 'The pages that customers see',
    suites: ['pages', 'forms', 'accessibility'],
    changes: [
      'Load pictures when they come into view',
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
    description: 'Keeps products, prices and pictures',
    suites: ['import', 'prices'],
    changes: [
      'Import prices in one transaction',
      'Keep the history of a price',
      'Refuse pictures without a size',
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
      'Write dates as the customer does',
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
