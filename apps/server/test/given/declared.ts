/** Texts that must be returned as they were sent, byte for byte. */
export const TEXTS = [
  'plain',
  '  leading blanks',
  'trailing newline\n',
  'trailing blanks  ',
  'windows\r\nline ends\r\n',
  'tab\tand "quotes" \\ <&>',
  'ünï © 漢字 🚀',
  'e\u0301 is not \u00e9',
  '\n',
] as const;
