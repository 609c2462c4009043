/** Free text, as the demo writes it. */
export interface Words {
  text(plain: string): string;
  /** An address that the API takes as free text. */
  url(plain: string): string;
}

export const plainWords: Words = { text: (plain) => plain, url: (plain) => plain };

const ATTACKS = [
  '"><img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '{{7*7}}${7*7}',
  "';alert(1)//",
  '</title></style></textarea><svg onload=alert(1)>',
  '\u202eevil\u202c \u200bzero\u200dwidth\ufeff',
  '[click](javascript:alert(1))',
  '<a href="javascript:alert(1)">x</a>',
  `long-${'x'.repeat(200)}`,
];

/** The same with an attack in every text, a different one each time, in a fixed order. */
export function hostileWords(): Words {
  let count = 0;
  return {
    text: (plain) => `${plain} ${ATTACKS[count++ % ATTACKS.length]}`,
    url: (plain) =>
      count++ % 2 === 0
        ? 'file:///etc/passwd#javascript:alert(document.domain)'
        : `${plain}"><script>alert(1)</script>`,
  };
}

/** For names of letters and digits: as long as screens must handle. */
export const LONG_NAME = `long-${'name-'.repeat(39)}`.slice(0, 200).replace(/-$/, 'x');
