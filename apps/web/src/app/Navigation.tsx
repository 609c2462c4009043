import { withBase } from '../lib/base-path.ts';
import { paths } from '../lib/paths.ts';
import { useOrg, usePath } from '../lib/route.ts';
import { VERSION } from '../lib/version.ts';
import { classes } from '../ui/classes.ts';
import { Link } from '../ui/Link.tsx';
import { doorsOf } from './doors.ts';

function isHere(path: string, org: string, href: string): boolean {
  if (href === paths.home(org)) return path === href || path === `${href}/`;
  const section = href.split('/').slice(0, 3).join('/');
  return path === section || path.startsWith(`${section}/`);
}

export function Navigation({ onFollow }: { readonly onFollow?: () => void }) {
  const org = useOrg();
  const path = usePath();
  return (
    <nav aria-label="Main" className="px-3 pt-2 pb-6">
      {doorsOf(org).map(({ title, doors }) => (
        <div key={title ?? ''} className="mt-3">
          {title !== null && <p className="px-2 pb-1 text-[12px] font-medium text-quiet">{title}</p>}
          <ul>
            {doors.map(({ href, label, icon: Icon }) => (
              <li key={href}>
                <Link
                  href={href}
                  {...(onFollow && { onClick: onFollow })}
                  {...(isHere(path, org, href) && { 'aria-current': 'page' })}
                  className={classes(
                    'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-[13.5px] no-underline hover:bg-raised hover:no-underline',
                    isHere(path, org, href) ? 'bg-accent-wash font-medium text-accent' : 'text-ink',
                  )}
                >
                  <Icon size={16} aria-hidden className="shrink-0" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p className="mt-5 flex flex-col gap-1 px-2 text-[13px]">
        <a href={withBase(paths.help())} className="text-quiet">
          Documentation
        </a>
        <a href={withBase(paths.glossary())} className="text-quiet">
          Glossary
        </a>
        <a href={withBase(paths.reference())} className="text-quiet">
          API reference
        </a>
        <span className="pt-2 text-quiet">Waymark {VERSION}</span>
      </p>
    </nav>
  );
}
