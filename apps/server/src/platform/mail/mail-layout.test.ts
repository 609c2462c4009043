import { expect, it } from 'vitest';
import { layOutMail } from './mail-layout.ts';

it('shows names as text, on one line', () => {
  const name = '<img src=x onerror=alert(1)>\r\nBcc: eve@example.test';
  const mail = layOutMail({
    title: `${name} invites you`,
    before: [`You are invited by ${name}`],
    action: { label: name, url: 'https://waymark.test/?a="b"' },
    after: [],
  });
  expect(mail.html).not.toContain('<img');
  expect(mail.html).toContain('&lt;img src=x');
  expect(mail.html).toContain('href="https://waymark.test/?a=&quot;b&quot;"');
  expect(mail.subject).toBe('<img src=x onerror=alert(1)> Bcc: eve@example.test invites you');
  expect(mail.text.split('\n\n')).toHaveLength(3);
});
