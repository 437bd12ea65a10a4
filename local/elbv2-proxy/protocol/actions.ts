/** Every action of the ELBv2 API, version 2015-12-01. */
export const actions: readonly string[] = `
AddListenerCertificates AddTags AddTrustStoreRevocations CreateListener CreateLoadBalancer CreateRule
CreateTargetGroup CreateTrustStore DeleteListener DeleteLoadBalancer DeleteRule DeleteSharedTrustStoreAssociation
DeleteTargetGroup DeleteTrustStore DeregisterTargets DescribeAccountLimits DescribeCapacityReservation
DescribeListenerAttributes DescribeListenerCertificates DescribeListeners DescribeLoadBalancerAttributes
DescribeLoadBalancers DescribeRules DescribeSSLPolicies DescribeTags DescribeTargetGroupAttributes
DescribeTargetGroups DescribeTargetHealth DescribeTrustStoreAssociations DescribeTrustStoreRevocations
DescribeTrustStores GetResourcePolicy GetTrustStoreCaCertificatesBundle GetTrustStoreRevocationContent
ModifyCapacityReservation ModifyIpPools ModifyListener ModifyListenerAttributes ModifyLoadBalancerAttributes
ModifyRule ModifyTargetGroup ModifyTargetGroupAttributes ModifyTrustStore RegisterTargets
RemoveListenerCertificates RemoveTags RemoveTrustStoreRevocations SetIpAddressType SetRulePriorities
SetSecurityGroups SetSubnets`
  .trim()
  .split(/\s+/);

/** Tells a read from a write by the name of the action. */
export const isRead = (action: string): boolean => /^(Describe|Get)/.test(action);
