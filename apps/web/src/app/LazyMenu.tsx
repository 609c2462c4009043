import { type ComponentType, type ReactNode, Suspense, useState } from 'react';

/** What a menu gets that was loaded because its button was pressed: it opens at once. */
export interface OpenedMenu {
  readonly className: string;
  readonly children: ReactNode;
}

/** The button of a menu. The menu itself, and all that menus need, is loaded when it is first wanted. */
export function LazyMenu({ menu: Menu, ...face }: OpenedMenu & { readonly menu: ComponentType<OpenedMenu> }) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <button type="button" aria-haspopup="menu" className={face.className} onClick={() => setWanted(true)}>
      {face.children}
    </button>
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <Menu {...face} />
    </Suspense>
  );
}
