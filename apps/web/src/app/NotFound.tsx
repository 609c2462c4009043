import { Link } from '../ui/Link.tsx';
import { PageHead } from '../ui/PageHead.tsx';

export function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <p>
        Check the address, or{' '}
        <Link href="/" className="underline">
          go to Home
        </Link>
        .
      </p>
    </>
  );
}
