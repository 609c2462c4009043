import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';
import { withBase } from '../lib/base-path.ts';

type LinkProps = ComponentProps<'a'> & {
  readonly href: string;
  /** Prefetches the page's data as soon as the link is likely to be followed. */
  readonly onIntent?: () => void;
};

function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

/** A link to another page of the application. A real link: it can be copied, and opened in a new tab. */
export function Link({ href, onIntent, onClick, ...rest }: LinkProps) {
  const router = useRouter();
  return (
    <a
      {...rest}
      href={withBase(href)}
      {...(onIntent && { onPointerEnter: onIntent, onFocus: onIntent })}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event) || rest.target === '_blank') return;
        event.preventDefault();
        void router.navigate({ href });
      }}
    />
  );
}

/** An address from a client. Only an http(s) address becomes a link; anything else stays text. */
export function OutsideLink({ href, children }: { readonly href: string; readonly children: React.ReactNode }) {
  const url = URL.parse(href);
  if (!url || !/^https?:$/.test(url.protocol)) return <span>{children}</span>;
  return (
    <a href={url.href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
