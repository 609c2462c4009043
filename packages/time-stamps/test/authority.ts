import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a certificate of an authority has, one extension for each line. */
export const PROPER = ['keyUsage=critical,digitalSignature', 'extendedKeyUsage=critical,timeStamping'];

const CA = ['basicConstraints=critical,CA:true', 'keyUsage=critical,keyCertSign,cRLSign'];
export const POLICY = '1.3.6.1.4.1.55555.1';

export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

interface Wish {
  readonly subject?: string;
  readonly extensions?: readonly string[];
  /** As `openssl ca` takes them: 20200101000000Z. */
  readonly from?: string;
  readonly until?: string;
  /** Arguments of `openssl genpkey`. */
  readonly key?: readonly string[];
}

const P256 = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
export const RSA = ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'];

export interface ReplyOptions {
  /** Between signer and root. */
  readonly chain?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** A local authority: certificates and time stamps are made by the program `openssl`. */
export async function openAuthority() {
  const folder = await mkdtemp(join(tmpdir(), 'time-stamps-'));
  let count = 0;
  const path = (name: string) => join(folder, `${++count}-${name}`);
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });

  async function newKey(args: readonly string[] = P256): Promise<string> {
    const key = path('key.pem');
    await openssl('genpkey', ...args, '-out', key);
    return key;
  }

  async function root(subject = '/CN=Test root', extensions: readonly string[] = CA): Promise<Issued> {
    const key = await newKey();
    const certificate = path('root.pem');
    const more = extensions.flatMap((extension) => ['-addext', extension]);
    const config = path('req.cnf');
    await writeFile(config, '[req]\ndistinguished_name=dn\n[dn]\n');
    await openssl(
      'req',
      '-x509',
      '-new',
      '-config',
      config,
      '-key',
      key,
      '-subj',
      subject,
      '-days',
      '3650',
      ...more,
      '-out',
      certificate,
    );
    return { certificate, key };
  }

  async function issue(issuer: Issued, wish: Wish = {}): Promise<Issued> {
    const { subject = '/O=Example/CN=Test authority', extensions = PROPER } = wish;
    const key = await newKey(wish.key);
    const [request, certificate, config, state] = [path('csr.pem'), path('cert.pem'), path('ca.cnf'), path('ca')];
    await mkdir(state);
    await Promise.all([writeFile(join(state, 'index'), ''), writeFile(join(state, 'serial'), `${1000 + count}\n`)]);
    const lines = [
      ...['[req]', 'distinguished_name=dn', '[dn]', '[ca]', 'default_ca=this', '[this]'],
      ...[`database=${state}/index`, `serial=${state}/serial`, `new_certs_dir=${state}`, 'default_md=sha256'],
      ...['policy=any', 'x509_extensions=given', 'unique_subject=no', '[any]', 'organizationName=optional'],
      ...['commonName=supplied', '[given]', ...extensions],
    ];
    await writeFile(config, lines.join('\n'));
    await openssl('req', '-new', '-config', config, '-key', key, '-subj', subject, '-out', request);
    const times = ['-startdate', wish.from ?? '20200101000000Z', '-enddate', wish.until ?? '20490101000000Z'];
    const by = ['-cert', issuer.certificate, '-keyfile', issuer.key];
    await openssl('ca', '-batch', '-notext', '-config', config, ...by, ...times, '-in', request, '-out', certificate);
    return { certificate, key };
  }

  /** Returns the response of `openssl ts` to a request. */
  async function reply(
    request: Uint8Array,
    signer: Issued,
    { chain, settings }: ReplyOptions = {},
  ): Promise<Uint8Array> {
    const [query, response, config, serial] = [path('q.tsq'), path('r.tsr'), path('tsa.cnf'), path('serial')];
    const values = {
      ...{ serial, crypto_device: 'builtin', signer_digest: 'sha256', default_policy: POLICY },
      ...{ digests: 'sha256, sha384, sha512', accuracy: 'secs:1', ordering: 'no', tsa_name: 'yes' },
      ...{ ess_cert_id_chain: 'no', ess_cert_id_alg: 'sha256', clock_precision_digits: '3', ...settings },
    };
    const lines = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
    await Promise.all([
      writeFile(query, request),
      writeFile(serial, '01\n'),
      writeFile(config, ['[tsa]', 'default_tsa = this', '[this]', ...lines].join('\n')),
    ]);
    const by = ['-signer', signer.certificate, '-inkey', signer.key, ...(chain ? ['-chain', chain] : [])];
    await openssl('ts', '-reply', '-config', config, '-queryfile', query, ...by, '-out', response);
    return readFile(response);
  }

  /** Signs content as a time stamp, also where `openssl ts` would refuse the certificate. */
  async function sign(content: Uint8Array, signer: Issued, args: readonly string[] = ['-cades']): Promise<Uint8Array> {
    const [input, output] = [path('content'), path('token')];
    await writeFile(input, content);
    const type = args.includes('-econtent_type') ? [] : ['-econtent_type', '1.2.840.113549.1.9.16.1.4'];
    const by = ['-signer', signer.certificate, '-inkey', signer.key];
    const form = ['-binary', '-nodetach', '-outform', 'DER', '-md', 'sha256', '-nosmimecap'];
    await openssl('cms', '-sign', ...form, ...type, ...by, ...args, '-in', input, '-out', output);
    return readFile(output);
  }

  /** Returns whether `openssl ts -verify` accepts a response or a token, at a time. */
  async function accepts(given: {
    readonly response?: Uint8Array;
    readonly token?: Uint8Array;
    readonly request?: Uint8Array;
    readonly message?: Uint8Array;
    readonly root: string;
    readonly at?: Date;
  }): Promise<boolean> {
    const files = { in: path('given'), query: path('query'), data: path('data') };
    await writeFile(files.in, given.response ?? given.token ?? '');
    await writeFile(files.query, given.request ?? '');
    await writeFile(files.data, given.message ?? '');
    const over = given.request ? ['-queryfile', files.query] : ['-data', files.data];
    const at = given.at ? ['-attime', `${Math.floor(given.at.getTime() / 1000)}`] : [];
    const form = given.token ? ['-token_in'] : [];
    return openssl('ts', '-verify', ...over, '-in', files.in, ...form, '-CAfile', given.root, ...at).then(
      () => true,
      () => false,
    );
  }

  return {
    folder,
    root,
    issue,
    reply,
    sign,
    accepts,
    read: (file: string) => readFile(file, 'utf8'),
    async join(...files: readonly string[]) {
      const joined = path('chain.pem');
      await writeFile(joined, (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n'));
      return joined;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

export type Authority = Awaited<ReturnType<typeof openAuthority>>;
