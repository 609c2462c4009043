import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** Prints the demo's mail to the terminal, so that the links in it can be opened. */
export async function openMailbox(show: (text: string) => void): Promise<{ url: string; close(): void }> {
  const smtp = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, answer) {
      void buffer(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then(({ subject, text }) => {
          const to = session.envelope.rcptTo.map(({ address }) => address).join(', ');
          show(`\nMail to ${to}: ${subject ?? ''}\n\n${(text ?? '').trim().replace(/^/gm, '  ')}\n\n`);
          answer();
        }, answer);
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, close: () => smtp.close(() => undefined) };
}
