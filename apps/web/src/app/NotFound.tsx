import { Link } from '../ui/Link.tsx';
import { Empty } from '../ui/States.tsx';

export function NotFound() {
  return (
    <Empty title="Page not found">
      Check the address, or <Link href="/">go to Home</Link>.
    </Empty>
  );
}
