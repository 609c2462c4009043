import { Link } from '../ui/Link.tsx';
import { Empty } from '../ui/States.tsx';

export function NotFound() {
  return (
    <Empty title="There is no such page">
      Was the address copied as a whole? <Link href="/">To the beginning</Link>
    </Empty>
  );
}
