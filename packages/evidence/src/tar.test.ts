import { describe, expect, it } from 'vitest';
import { givenTar, paxRecord } from './given/archive.ts';
import { filesInTar } from './tar.ts';
import { Unreadable } from './unreadable.ts';

function pathsAndTexts(tar: Uint8Array): [string, string][] {
  return filesInTar('a.tgz', tar).map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);
}

describe('the files of a tar archive', () => {
  it('are its regular files, in order, without directories', () => {
    const tar = givenTar([
      { path: 'reports/', type: '5' },
      { path: 'reports/a.xml', content: 'one' },
      { path: './b.xml', content: 'x'.repeat(513) },
      { path: 'empty.xml' },
    ]);
    expect(pathsAndTexts(tar)).toEqual([
      ['reports/a.xml', 'one'],
      ['./b.xml', 'x'.repeat(513)],
      ['empty.xml', ''],
    ]);
  });

  it('have the long paths of pax and GNU headers, each for one entry only', () => {
    const long = `${'directory/'.repeat(20)}Bücher.xml`;
    const tar = givenTar([
      { path: 'pax_global_header', type: 'g', content: paxRecord('comment', 'abc') },
      { path: 'PaxHeaders/x', type: 'x', content: paxRecord('mtime', '1.5') + paxRecord('path', long) },
      { path: 'cut', content: 'pax' },
      { path: '././@LongLink', type: 'L', content: `${long}\u0000` },
      { path: 'cut', content: 'gnu' },
      { path: 'short', content: 'own' },
    ]);
    expect(pathsAndTexts(tar)).toEqual([
      [long, 'pax'],
      [long, 'gnu'],
      ['short', 'own'],
    ]);
  });

  it('have the size of a pax header', () => {
    const tar = givenTar([
      { path: 'PaxHeaders/x', type: 'x', content: paxRecord('size', '3') },
      { path: 'a', content: 'abc', size: 0 },
    ]);
    expect(pathsAndTexts(tar)).toEqual([['a', 'abc']]);
  });
});

const faulty: { it: string; tar: Uint8Array; message: string }[] = [
  {
    it: 'a path upwards',
    tar: givenTar([{ path: 'a/../../b' }]),
    message: 'the path "a/../../b" leads out of the archive.',
  },
  { it: 'an absolute path', tar: givenTar([{ path: '/etc/passwd' }]), message: 'the path "/etc/passwd" is absolute.' },
  { it: 'a drive', tar: givenTar([{ path: 'C:/a.xml' }]), message: 'the path "C:/a.xml" is absolute.' },
  { it: 'a backslash', tar: givenTar([{ path: 'a\\b' }]), message: 'the path "a\\\\b" contains a backslash.' },
  { it: 'an empty path', tar: givenTar([{ path: '' }]), message: 'the path "" is empty.' },
  {
    it: 'a NUL in a pax path',
    tar: givenTar([{ path: 'h', type: 'x', content: paxRecord('path', 'a\u0000b') }, { path: 'a' }]),
    message: 'the path "a\uFFFDb" contains a NUL.',
  },
  { it: 'a hard link', tar: givenTar([{ path: 'a', type: '1' }]), message: '"a" is a link.' },
  { it: 'a symbolic link', tar: givenTar([{ path: 'a', type: '2' }]), message: '"a" is a link.' },
  { it: 'a device', tar: givenTar([{ path: 'a', type: '3' }]), message: '"a" is neither a file nor a directory.' },
  {
    it: 'a sparse file',
    tar: givenTar([{ path: 'h', type: 'x', content: paxRecord('GNU.sparse.major', '1') }, { path: 'a' }]),
    message: 'contains a sparse file.',
  },
  {
    it: 'a damaged pax header',
    tar: givenTar([{ path: 'h', type: 'x', content: '99 path=a\n' }, { path: 'a' }]),
    message: 'a pax header of the tar archive is damaged.',
  },
  {
    it: 'too many entries',
    tar: givenTar(Array.from({ length: 2001 }, (_, index) => ({ path: `f${index}` }))),
    message: 'contains more than 2000 entries.',
  },
  { it: 'a size beyond the end', tar: givenTar([{ path: 'a', size: 9999 }]), message: '"a" is cut short.' },
  { it: 'no end', tar: givenTar([{ path: 'a' }]).subarray(0, 512), message: 'the tar archive is cut short.' },
  { it: 'nothing', tar: Buffer.alloc(0), message: 'the tar archive is cut short.' },
  { it: 'other bytes', tar: Buffer.alloc(1024, 'x'), message: 'is not a tar archive, or is damaged.' },
  {
    it: 'a second archive behind the first',
    tar: Buffer.concat([givenTar([{ path: 'a' }]), givenTar([{ path: 'b' }])]),
    message: 'something follows the end of the tar archive.',
  },
];

describe('a tar archive is refused that holds', () => {
  it.each(faulty)('$it', ({ tar, message }) => {
    expect(() => filesInTar('a.tgz', tar)).toThrow(new Unreadable(`a.tgz: ${message}`));
  });
});
