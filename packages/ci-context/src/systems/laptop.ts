import type { Facts } from '../ci-context.ts';
import { headOfCheckout } from '../commit.ts';
import type { Reader } from '../reader.ts';

/** No CI system: what git says about the directory. */
export function readLaptop(reader: Reader): Facts {
  const status = reader.git('status', '--porcelain');
  return {
    commit: headOfCheckout(reader),
    branch: reader.checked(reader.git('symbolic-ref', '--quiet', '--short', 'HEAD'), 'git symbolic-ref HEAD', 'git'),
    actor: reader.checked(reader.git('config', 'user.email'), 'git config user.email', 'git'),
    dirty: status === undefined ? undefined : status !== '',
  };
}
