/** A login for somebody of whom only the address is known; it is the name of their personal org, too. */
export function loginOf(email: string): string {
  const [local = ''] = email.split('@');
  const plain = local
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9\-_.~]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 48);
  return plain || 'user';
}
