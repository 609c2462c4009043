/** Bytes for a socket that must not get a success response: not HTTP, or HTTP that lies about itself. */
export function noHttp(key: string): [string, Buffer][] {
  const auth = `Authorization: Bearer ${key}\r\n`;
  const put = `PUT /api/v2/flows/acme HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\n`;
  const get = `GET /api/v2/flows/acme HTTP/1.1\r\nHost: x\r\n${auth}`;
  const texts: [string, string][] = [
    ['nothing', ''],
    ['a line end', '\r\n'],
    ['one letter', 'G'],
    ['a word', 'hello\r\n\r\n'],
    ['bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in lower case', 'get / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no version', 'GET /ready\r\n\r\n'],
    ['version 9.9', 'GET /ready HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a version that is none', 'GET /ready HTTP/x\r\nHost: x\r\n\r\n'],
    ['another protocol', 'GET /ready ICE/1.0\r\nHost: x\r\n\r\n'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['U+0000 in the path', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['bytes beyond ASCII in the path', 'GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['dots in the path', `GET /api/v2/flows/acme/../../../ready HTTP/1.1\r\nHost: x\r\n${auth}\r\n`],
    ['empty segments in the path', `GET //api//v2//flows//acme HTTP/1.1\r\nHost: x\r\n${auth}\r\n`],
    ['a path of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a query of 100 KB', `GET /ready?${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a broken percent sign in the path', `GET /api/v2/flows/%zz HTTP/1.1\r\nHost: x\r\n${auth}\r\n`],
    ['a request to connect through', 'CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header of 1 MB', `${get}X: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['10,000 headers', `${get}${'X: y\r\n'.repeat(10_000)}\r\n`],
    ['headers that do not end', `${get}X: y`],
    ['a header without a colon', `${get}nonsense\r\n\r\n`],
    ['a header without a name', `${get}: x\r\n\r\n`],
    ['a space before the colon', `${get}X : y\r\n\r\n`],
    ['U+0000 in a header', `${get}X: a\0b\r\n\r\n`],
    ['a line feed in a header', `${get}X: a\nb\r\n\r\n`],
    ['a carriage return in a header', `${get}X: a\rb\r\n\r\n`],
    ['a credential with U+0000', `GET /api/v2/flows/acme HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \0\r\n\r\n`],
    ['two hosts', 'GET /ready HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['a content length that is none', `${put}Content-Length: abc\r\n\r\n{}`],
    ['a negative content length', `${put}Content-Length: -1\r\n\r\n{}`],
    ['a content length beyond every number', `${put}Content-Length: 99999999999999999999999\r\n\r\n{}`],
    ['a content length that is too long', `${put}Content-Length: 1000\r\n\r\n{"name":"x"}`],
    ['a content length that is too short', `${put}Content-Length: 5\r\n\r\n{"name":"x"}`],
    ['two content lengths', `${put}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a content length beyond the limit', `${put}Content-Length: 2000000\r\n\r\n{}`],
    ['2 MB of body', `${put}Content-Length: 2000000\r\n\r\n${' '.repeat(2_000_000)}`],
    ['a length and chunks', `${put}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks with a size that is none', `${put}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`],
    ['chunks with a negative size', `${put}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`],
    ['chunks with a size beyond every number', `${put}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n`],
    ['chunks that do not end', `${put}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`],
    ['chunks that say too little', `${put}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
    [
      'chunks with long extensions',
      `${put}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      '2 MB of chunks',
      `${put}Transfer-Encoding: chunked\r\n\r\n${`1000\r\n${' '.repeat(0x1000)}\r\n`.repeat(500)}0\r\n\r\n`,
    ],
    ['an unknown encoding', `${put}Transfer-Encoding: frob\r\n\r\n{}`],
    ['an encoding behind chunks', `${put}Transfer-Encoding: chunked, frob\r\n\r\n0\r\n\r\n`],
    ['chunked twice', `${put}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a form that is cut off', form(key, '--b\r\nContent-Disposition: form-data; name="data_json"\r\n\r\n{"name":"x"')],
    [
      'a part without an end of its headers',
      form(key, '--b\r\nContent-Disposition: form-data; name="a"\r\n{}\r\n--b--'),
    ],
    ['five parts and no end', form(key, '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n{}\r\n'.repeat(5))],
  ];
  return texts.map(([title, text]) => [title, Buffer.from(text, 'latin1')]);
}

function form(key: string, body: string): string {
  const type = 'Content-Type: multipart/form-data; boundary=b';
  const head = `PUT /api/v2/flows/acme/template_file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${type}\r\n`;
  return `${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
