// A driver's code as the text of ModelTypes.idl shows it, in the namespace that drivers stand in.
#include <nnrt/hdi_ohos.hpp>

namespace OHOS::HDI::Nnrt::V2_0 {

/// What a driver reads of a node before it prepares it.
bool IsFusedWithRelu6(const Node& node) {
  if (node.nodeType != NODE_TYPE_FULL_CONNECTION) return false;
  FullConnection full_connection{};
  OHOS::MessageParcel data;
  data.WriteBuffer(node.nodeAttr.data(), node.nodeAttr.size());
  (void)FullConnectionBlockUnmarshalling(data, full_connection);
  return full_connection.hasBias && !full_connection.useAxis && full_connection.axis == 0 &&
         full_connection.activationType == ACTIVATION_TYPE_RELU6;
}

}  // namespace OHOS::HDI::Nnrt::V2_0

using namespace OHOS::HDI::Nnrt::V2_0;

int main() {
  Node node{};
  node.nodeType = NODE_TYPE_FULL_CONNECTION;
  node.nodeAttr = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
  if (!IsFusedWithRelu6(node)) return 1;

  // The way back, by arguments alone, and through another version's name.
  OHOS::MessageParcel data;
  OHOS::HDI::Nnrt::V1_0::FullConnection made{};
  made.hasBias = true;
  made.activationType = ACTIVATION_TYPE_RELU6;
  if (!FullConnectionBlockMarshalling(data, made) || data.GetDataSize() != node.nodeAttr.size()) return 2;
  const auto* bytes = reinterpret_cast<const std::int8_t*>(data.GetData());
  if (std::vector<std::int8_t>(bytes, bytes + data.GetDataSize()) != node.nodeAttr) return 3;

  // Half of the attributes are none.
  OHOS::MessageParcel half;
  half.WriteBuffer(node.nodeAttr.data(), 12);
  if (OHOS::HDI::Nnrt::V2_0::FullConnectionBlockUnmarshalling(half, made)) return 4;

  // The one structure that versions do not share.
  OHOS::MessageParcel pools;
  OHOS::HDI::Nnrt::V1_0::MaxPoolFusion before{};
  MaxPoolFusion now{};
  now.global = true;
  before.global = true;
  if (!MaxPoolFusionBlockMarshalling(pools, before) || pools.GetDataSize() != 40) return 5;
  if (!MaxPoolFusionBlockMarshalling(pools, now) || pools.GetDataSize() != 40 + 48) return 6;
  before.global = false;
  return MaxPoolFusionBlockUnmarshalling(pools, before) && before.global &&
                 MaxPoolFusionBlockUnmarshalling(pools, now) && now.global && pools.GetReadableBytes() == 0
             ? 0
             : 7;
}
