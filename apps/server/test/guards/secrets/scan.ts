import pg from 'pg';

/** A secret with a label for messages: its text must appear nowhere, not even there. */
type Secrets = ReadonlyMap<string, string>;

/** A secret in the forms it may take: plain, percent-encoded, as hex digits, as base64 at any place in other bytes. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const decoded = Buffer.from(secret, 'base64url');
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...[0, 1, 2].flatMap((offset) => base64Within(bytes, offset)),
      ...(decoded.length >= 16 ? [decoded.toString('hex')] : []),
    ]),
  ];
}

/** The part of the base64 that is the same for all contexts with these bytes at an offset of this remainder. */
function base64Within(bytes: Buffer, offset: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const from = Math.ceil((offset * 4) / 3);
  const to = Math.floor((whole.length * 4) / 3);
  return (['base64', 'base64url'] as const).map((encoding) => whole.toString(encoding).slice(from, to));
}

/** Labels of the secrets that a text holds in any form. */
export function secretsIn(text: string, secrets: Secrets): string[] {
  return [...secrets].filter(([, secret]) => formsOf(secret).some((form) => text.includes(form))).map(([name]) => name);
}

/** Where in a database a secret is: searches every row of every table as text, bytes as hex digits. */
export async function secretsInDatabase(url: string, secrets: Secrets): Promise<{ rows: number; found: string[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    let rows = 0;
    for (const { name } of tables.rows) {
      const { rows: texts } = await client.query<{ text: string }>(`select t::text as text from ${name} as t`);
      rows += texts.length;
      for (const { text } of texts) found.push(...secretsIn(text, secrets).map((secret) => `${secret} in ${name}`));
    }
    return { rows, found };
  } finally {
    await client.end();
  }
}
