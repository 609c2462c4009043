/** A login for a person of whom only the address is known; it is also the name of their personal org. */
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
