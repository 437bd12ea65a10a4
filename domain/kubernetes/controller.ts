/** Finds the owner that controls an object; Kubernetes allows for one (metav1.OwnerReference.controller). */
export const controllerOf = <Reference extends { readonly controller?: boolean }>({
  ownerReferences,
}: {
  readonly ownerReferences?: readonly Reference[];
}): Reference | undefined => ownerReferences?.find(({ controller }) => controller === true);
