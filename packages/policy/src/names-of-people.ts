/** GitHub hides addresses as `1234+ada@users.noreply.github.com`, which has the account in it. */
const HIDDEN_ADDRESS = '@users.noreply.github.com';

/** Returns every name, in plain form, by which one of these people may be known. */
export function namesIn(people: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const person of people) addNames(person, names);
  names.delete('');
  return names;
}

/** The author of a commit may read `Ada <ada@example.com>`: each of the names may be the one in a review. */
function addNames(person: string, names: Set<string>): void {
  const whole = plain(person);
  names.add(whole);
  const open = whole.lastIndexOf('<');
  if (open === -1 || !whole.endsWith('>')) return;
  const address = whole.slice(open + 1, -1).trim();
  names.add(whole.slice(0, open).trim());
  names.add(address);
  if (address.endsWith(HIDDEN_ADDRESS)) names.add(accountOf(address));
}

function accountOf(hiddenAddress: string): string {
  const local = hiddenAddress.slice(0, -HIDDEN_ADDRESS.length);
  return local.slice(local.indexOf('+') + 1);
}

export function plain(text: string): string {
  return text.trim().toLowerCase();
}
