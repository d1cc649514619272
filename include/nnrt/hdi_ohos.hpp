// hdi_ohos: the names that drivers of OpenHarmony's HDI use - OHOS::HDI::Nnrt::V1_0, V2_0 and V2_1,
// OHOS::MessageParcel, and for every structure <Name>BlockMarshalling and <Name>BlockUnmarshalling.
// Flow: code that was written against drivers_interface/nnrt includes this instead of its generated headers.
#pragma once

#include <nnrt/hdi/message_parcel.hpp>
#include <nnrt/hdi/nodes.hpp>

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): names are OpenHarmony's; NAME is a type.

#define NNRT_HDI_BLOCK(NAME)                                                        \
  inline bool NAME##BlockMarshalling(message_parcel& data, const NAME& dataBlock) { \
    return data.write_block(dataBlock);                                             \
  }                                                                                 \
  inline bool NAME##BlockUnmarshalling(message_parcel& data, NAME& dataBlock) { return data.read_block(dataBlock); }
#define NNRT_HDI_BLOCK_OF_ROW(NUMBER, NAME, ...) NNRT_HDI_BLOCK(NAME)

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

// In the namespaces of the structures, so that argument-dependent lookup finds them.
namespace common {
NNRT_HDI_BLOCK(SharedBuffer)
NNRT_HDI_BLOCK(QuantParam)
NNRT_HDI_BLOCK(IOTensor)
NNRT_HDI_BLOCK(Tensor)
NNRT_HDI_BLOCK(Node)
NNRT_HDI_BLOCK(SubGraph)
NNRT_HDI_BLOCK(Model)
NNRT_HDI_NODES(NNRT_HDI_BLOCK_OF_ROW, NNRT_HDI_BLOCK_OF_ROW)
}  // namespace common
namespace v1_0 {
NNRT_HDI_BLOCK(ModelConfig)
NNRT_HDI_BLOCK(MaxPoolFusion)
}  // namespace v1_0
namespace v2_0 {
NNRT_HDI_BLOCK(ModelConfig)
NNRT_HDI_BLOCK(MaxPoolFusion)
}  // namespace v2_0
namespace v2_1 {
NNRT_HDI_NODES_SINCE_2_1(NNRT_HDI_BLOCK_OF_ROW, NNRT_HDI_BLOCK_OF_ROW)
}  // namespace v2_1

}}}  // namespace nnrt::NNRT_ISA::hdi

namespace OHOS {
using MessageParcel = ::nnrt::hdi::message_parcel;

namespace HDI::Nnrt {
namespace V1_0 {
using namespace ::nnrt::hdi::v1_0;
}  // namespace V1_0
namespace V2_0 {
using namespace ::nnrt::hdi::v2_0;
}  // namespace V2_0
namespace V2_1 {
using namespace ::nnrt::hdi::v2_1;
}  // namespace V2_1
}  // namespace HDI::Nnrt
}  // namespace OHOS

// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
