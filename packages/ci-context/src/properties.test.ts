import { describe, expect, it } from 'vitest';
import { parseProperties } from './properties.ts';

describe('a file of properties', () => {
  it('has comments, escapes and lines that go on', () => {
    const text = [
      '# a comment',
      '! another',
      '',
      'url=https\\://github.com/acme/web.git',
      'with\\ space\\=sign : a value ',
      'bare',
      'long=one,\\',
      '    two',
      'path=C\\:\\\\agent',
      'name=\\u00e4',
      'tab=a\\tb',
    ].join('\r\n');
    expect(Object.fromEntries(parseProperties(text))).toEqual({
      url: 'https://github.com/acme/web.git',
      'with space=sign': 'a value ',
      bare: '',
      long: 'one,two',
      path: 'C:\\agent',
      name: 'ä',
      tab: 'a\tb',
    });
  });
});
